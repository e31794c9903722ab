// Reads a bundle and verifies it with a public key, by the packages of sigstore: `node verify.mjs BUNDLE KEY` prints the
// type of the payload and the digest that it is about.
import { createHash, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bundleFromJSON } from '@sigstore/bundle';
import { Verifier, toSignedEntity, toTrustMaterial } from '@sigstore/verify';

const [bundlePath, keyPath] = process.argv.slice(2);
const publicKey = createPublicKey(readFileSync(keyPath));
const hash = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' })).digest('base64');
// A key of one's own needs no authority, no log and no time.
const authorities = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const trust = toTrustMaterial(authorities, (hint) => {
  if (hint !== hash) throw new Error(`the bundle is of the key ${hint}, not ${hash}`);
  return { publicKey, validFor: () => true };
});
const verifier = new Verifier(trust, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
const bundle = bundleFromJSON(JSON.parse(readFileSync(bundlePath, 'utf8')));
verifier.verify(toSignedEntity(bundle));
const { payloadType, payload } = bundle.content.dsseEnvelope;
console.log(payloadType, JSON.parse(payload.toString()).subject[0].digest.sha256);

// Icons of packages: links to them, and the page that shows one.

/** The command that shows an icon. */
export const SHOW_ICON = "fbc.showIcon";

/** Whether a link leads to a picture that it holds itself, which no browser is needed for. */
export function isIcon(target: string): boolean {
  return /^data:image\/[\w.+-]+;base64,[\w+/=]*$/.test(target);
}

/** The address that shows an icon when it is followed. */
export function iconCommand(target: string): string {
  return `command:${SHOW_ICON}?${encodeURIComponent(JSON.stringify([target]))}`;
}

/** The page of an icon, which runs nothing; a picture that is a drawing runs nothing in there either. */
export function iconPage(target: string): string {
  const policy = "default-src 'none'; img-src data:";
  const picture = isIcon(target) ? `<img alt="icon" width="256" src="${target}">` : "This is not an icon.";
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"></head><body>${picture}</body></html>`;
}

use std::time::Instant;
fn main() {
    let mut files = vec![];
    fn walk(d: &std::path::Path, f: &mut Vec<std::path::PathBuf>) { for e in std::fs::read_dir(d).unwrap() { let p = e.unwrap().path(); if p.is_dir() { walk(&p, f) } else { f.push(p) } } }
    walk(std::path::Path::new(&std::env::args().nth(1).unwrap()), &mut files);
    let data: Vec<Vec<u8>> = files.iter().map(|p| std::fs::read(p).unwrap()).collect();
    for (p, d) in files.iter().zip(&data) {
        if d.starts_with(b"{") { continue }
        let (mut slow, mut n, mut diff) = (0, 0, 0);
        for c in fbc_yaml::split::split(d, 0) {
            let t = std::str::from_utf8(&d[c.range]).unwrap();
            n += 1;
            match fbc_yaml::stream::compare::fast(t) { None => { slow += 1; if slow < 3 { println!("slow: {:.80?}", t) } }, Some(doc) => if std::env::args().nth(2).is_some() { if fbc_yaml::stream::compare::general(t).ok() != Some(doc) { diff += 1; } } }
        }
        if slow + diff > 0 { println!("{p:?}: {slow} slow, {diff} differ of {n}"); }
    }
    let total: usize = data.iter().map(Vec::len).sum();
    for _ in 0..4 {
        let t = Instant::now();
        let mut docs = 0; let mut mem = 0;
        for d in &data { let r = fbc_yaml::stream::read::<_, ()>(d, &|x| Ok(x)); docs += r.len(); mem += r.iter().filter_map(|d| d.outcome.as_ref().ok()).map(|d| d.memory()).sum::<usize>(); }
        let e = t.elapsed();
        println!("{} docs {} MB in {:?}: {:.0} MB/s, {} MB kept", docs, total / 1_000_000, e, total as f64 / 1e6 / e.as_secs_f64(), mem / 1_000_000);
    }
}

/**
 * How an exported page looks: on a screen, light or dark, narrow or wide, and on paper. No font and no picture is
 * loaded; the policy of the page allows this text alone, by its hash.
 */
import { createHash } from 'node:crypto'

export const style = `
:root{color-scheme:light dark;--bg:#fff;--soft:#f6f6f7;--line:#e3e3e6;--text:#1b1b1f;--quiet:#62626b;--accent:#4756d6;--red:#b3261e;--green:#1b7a3d;--amber:#8a5a00}
@media (prefers-color-scheme:dark){:root{--bg:#131316;--soft:#1b1b1f;--line:#2e2e34;--text:#ececf0;--quiet:#a0a0aa;--accent:#98a4ff;--red:#ff8a80;--green:#6fd391;--amber:#e9b44c}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.55 Inter,system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
.page{display:grid;grid-template-columns:260px minmax(0,1fr);max-width:1240px;margin:0 auto}
main{padding:28px 32px 96px;min-width:0;grid-column:2;grid-row:1/span 2}
aside{grid-column:1;grid-row:1;position:sticky;top:0;height:100vh;overflow:auto;padding:28px 12px 28px 20px;border-right:1px solid var(--line)}
aside ol{list-style:none;margin:8px 0 0;padding:0}
aside li a{display:block;padding:3px 8px;border-radius:5px;color:var(--text);text-decoration:none;font-size:12.5px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
aside li a:hover,aside li a:focus-visible{background:var(--soft)}
aside li span{color:var(--quiet);font-variant-numeric:tabular-nums;margin-right:6px}
h1{font-size:21px;line-height:1.3;margin:0 0 6px;letter-spacing:-.01em}
h2{font-size:13px;margin:0;font-weight:600}
.facts,.quiet{color:var(--quiet);font-size:12px}
.cutfacts{border:1px solid var(--line);border-radius:8px;padding:8px 12px;margin:14px 0 0;font-size:12.5px}
.turn{border-top:1px solid var(--line);margin-top:30px;padding-top:14px;content-visibility:auto;contain-intrinsic-size:auto 600px}
.turn>header{display:flex;gap:10px;align-items:baseline;flex-wrap:wrap;margin-bottom:10px}
.message{margin:14px 0;max-width:76ch}
.person{background:var(--soft);border:1px solid var(--line);border-radius:10px;padding:10px 14px}
.who{font-size:12px;color:var(--quiet);margin-bottom:2px}
.prose>:first-child{margin-top:0}.prose>:last-child{margin-bottom:0}
.prose h1,.prose h2,.prose h3,.prose h4{font-size:15px;margin:18px 0 6px}
.prose table{border-collapse:collapse;display:block;overflow:auto}.prose td,.prose th{border:1px solid var(--line);padding:4px 8px;text-align:left}
.prose blockquote{margin:8px 0;padding-left:12px;border-left:3px solid var(--line);color:var(--quiet)}
a{color:var(--accent)}
pre,code{font:12.5px/1.5 "JetBrains Mono",ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{background:var(--soft);border-radius:4px;padding:1px 4px}
pre{margin:6px 0;padding:10px 12px;background:var(--soft);border:1px solid var(--line);border-radius:8px;overflow:auto;max-height:520px;white-space:pre-wrap}
pre.plain{background:none;border:0;padding:0;max-height:none;font:inherit}
details{margin:3px 0}
summary{cursor:pointer;display:flex;gap:8px;align-items:baseline;padding:3px 8px;margin-left:-8px;border-radius:6px;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"▸";color:var(--quiet);font-size:11px;flex:none}
details[open]>summary::before{content:"▾"}
summary:hover,summary:focus-visible{background:var(--soft)}
summary b{font-weight:500}
summary code{background:none;padding:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
summary .end{margin-left:auto;flex:none;color:var(--quiet);font-size:12px;font-variant-numeric:tabular-nums}
.failed .end,.failed .why{color:var(--red)}.refused .end,.interrupted .end{color:var(--amber)}
.body{padding:2px 0 6px 10px;border-left:2px solid var(--line);margin-left:2px}
.add{color:var(--green)}.del{color:var(--red)}
.step{color:var(--quiet);font-size:11.5px;margin:4px 0 10px;font-variant-numeric:tabular-nums}
.mark{display:flex;gap:10px;align-items:center;color:var(--quiet);font-size:12px;margin:14px 0}
.mark::before,.mark::after{content:"";flex:1;border-top:1px solid var(--line)}
.notice{border-left:3px solid var(--line);padding:2px 10px;margin:8px 0;font-size:13px}
.notice.warning{border-color:var(--amber)}.notice.error{border-color:var(--red)}
.plan{list-style:none;padding:0;margin:6px 0}.plan li::before{content:"○";color:var(--quiet);margin-right:8px}.plan .completed::before{content:"●"}.plan .in_progress::before{content:"◐"}
.ctl{color:var(--amber);font-size:11px;border:1px solid var(--line);border-radius:3px;padding:0 2px}
.cut{color:var(--amber);font-size:12px;margin:4px 0}
figure{margin:8px 0}figure img{max-width:100%;max-height:420px;border:1px solid var(--line);border-radius:8px;display:block}figcaption{color:var(--quiet);font-size:12px}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
@media (max-width:860px){.page{display:block}aside{position:static;height:auto;max-height:40vh;border-right:0;border-bottom:1px solid var(--line);padding:16px}main{padding:20px 16px 64px}}
@media print{:root{--bg:#fff;--soft:#f4f4f5;--line:#ccc;--text:#000;--quiet:#444;--accent:#000}aside{display:none}.page{display:block}main{padding:0}.turn{content-visibility:visible;break-inside:auto}pre{max-height:none;white-space:pre-wrap}details::details-content{content-visibility:visible;block-size:auto}summary::before{content:""}a{color:inherit}}
`

const hash = createHash('sha256').update(style).digest('base64')

/** Nothing may run and nothing may be loaded but pictures that are in the page itself. */
export const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`

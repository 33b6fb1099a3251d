"""The looks of the page of reality: a laptop's width, light or dark, on paper too."""

from __future__ import annotations

from typing import Final

__all__ = ["STYLE"]

STYLE: Final = """
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--faint:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--link:#0969da;
--bad:#cf222e;--gap:#bc4c00;--well:#1a7f37;--open:#59636e}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--faint:#9198a1;--line:#3d444d;--soft:#151b23;
--link:#4493f8;--bad:#f85149;--gap:#f0883e;--well:#3fb950;--open:#9198a1}}
*{box-sizing:border-box}
body{margin:0 auto;padding:0 1.5rem 2rem;max-width:1280px;background:var(--page);color:var(--text);
font:14px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.5rem;margin:1.2rem 0 0}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}h2 span{font-weight:400;color:var(--faint)}
p{margin:.3rem 0}a{color:var(--link)}code{font:12px ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere;color:var(--faint)}
.faint{color:var(--faint)}.bad{color:var(--bad)}.gap{color:var(--gap)}.well{color:var(--well)}.open{color:var(--open)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--page);padding:.3rem}
.figures{display:flex;flex-wrap:wrap;gap:.6rem;margin:.9rem 0}
.figures div{flex:1 1 14rem;border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem}
.figures dt{color:var(--faint);font-size:12px}.figures dd{margin:0;font-size:1.1rem;font-weight:600;font-variant-numeric:tabular-nums}
.grades{border-collapse:collapse;margin:.2rem 0 .6rem;font-variant-numeric:tabular-nums}
.grades caption{text-align:left;color:var(--faint);font-size:12px}
.grades th{font-weight:400;color:var(--faint);font-size:12px;padding:2px .9rem;text-align:right}
.grades th[scope=row]{text-align:left;padding-left:0}.grades td{padding:2px .9rem;text-align:right}
nav{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.4rem;padding:.6rem 0;background:var(--page);
border-bottom:1px solid var(--line)}
nav a{border:1px solid var(--line);border-radius:1rem;padding:.1rem .7rem;text-decoration:none}
nav a:hover,nav a:focus-visible{background:var(--soft)}
section{scroll-margin-top:5.5rem}#topics{scroll-margin-top:6rem}
.row{display:grid;grid-template-columns:minmax(0,1fr) 6.5rem 10.5rem 4.2rem 4.2rem 4.2rem;gap:.6rem;align-items:baseline}
.row.head{color:var(--faint);font-size:12px;padding:.1rem .5rem;border-bottom:1px solid var(--line)}
.row.bare{grid-template-columns:minmax(0,1fr) 4.2rem 4.2rem 4.2rem}.n{text-align:right;font-variant-numeric:tabular-nums}.n i{display:none}
details{border-bottom:1px solid var(--line)}details[open]{background:var(--soft)}
summary{cursor:pointer;padding:.25rem .5rem;list-style:none}summary::-webkit-details-marker{display:none}
summary:hover{background:var(--soft)}summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:-2px}
.name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.name::before{content:"▸ ";color:var(--faint)}
details[open]>summary .name{white-space:normal;overflow-wrap:anywhere}details[open]>summary .name::before{content:"▾ "}
details ul{margin:.1rem 0 .5rem;padding:0 .5rem 0 1.6rem;list-style:none}details li{padding:.12rem 0;overflow-wrap:anywhere}
details>p{padding:0 .5rem .5rem 1.6rem}em{font-style:normal;font-size:12px}.pips{letter-spacing:1px;color:var(--faint)}
footer{margin-top:1.5rem;font-size:12px}
main:has(section:target) section:not(:target){display:none}
@media(max-width:760px){.grades th,.grades td{padding:2px .3rem}.row.head{display:none}.row{grid-template-columns:1fr 1fr 1fr}.row .name{grid-column:1/-1}
.row span:empty{display:none}.n{text-align:left}.n i{display:inline;font-style:normal;color:var(--faint)}}
@media print{nav,.skip{display:none}body{max-width:none;padding:0;font-size:11px}details{break-inside:avoid}
main:has(section:target) section:not(:target){display:block}}
"""

/** The style of the guide's pages. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8); }
body { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .75rem 0; border-bottom: 1px solid var(--line); }
nav b { margin-right: auto; }
nav [aria-current] { color: inherit; font-weight: bold; text-decoration: none; }
a { color: var(--link); text-underline-offset: .15em; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .75rem; }
h2 { padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
code { padding: .1em .3em; border-radius: .25rem; background: var(--soft); font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--soft); overflow-x: auto; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .92rem; }
th, td { padding: .35rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); }
`;

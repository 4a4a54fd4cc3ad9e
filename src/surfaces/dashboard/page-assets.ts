import { readFileSync } from 'node:fs';

/** The page's files as the build made them, in `dist/page/`. */
const folder = new URL('../../page/', import.meta.url);

export const readAsset = (name: 'dashboard.js' | 'page.css'): string =>
  readFileSync(new URL(name, folder), 'utf8');

/** Everything is fetched from the server itself; no inline script or style. */
export const shell = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Progress-review sentinel</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/dashboard.js"></script>
<div id="page"><noscript>This page needs JavaScript. <code>drift status</code> says the same on a terminal.</noscript></div>
</html>
`;

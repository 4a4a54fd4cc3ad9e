import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { GoalEvidence, GoalHead } from '../../readmodel/goal-view.ts';

/** What the report holds: typed results, labels and file names; no file text. */
export interface ReportContent {
  readonly schema: 'drift_report_v1';
  /** ISO 8601. */
  readonly generated_at: string;
  readonly head: GoalHead;
  readonly evidence: GoalEvidence;
  /** Transitions of the goal; the report may hold fewer, the newest. */
  readonly events_in_all: number;
}

const folder = new URL('../../page/', import.meta.url);
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const escapeText = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * One self-contained page: script, style and data inline, and a policy in it that lets nothing else run and nothing be
 * fetched. `plainText` stands there until the script has run, and where none may.
 */
export function renderReport(content: ReportContent, plainText: string): string {
  const script = readFileSync(new URL('report.js', folder), 'utf8').replaceAll('</script', '<\\/script');
  const style = readFileSync(new URL('page.css', folder), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const json = JSON.stringify(content).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>Drift report: ${escapeText(content.head.goal_id)}</title>
<style>${style}</style>
<div id="page"><main><pre>${escapeText(plainText)}</pre></main></div>
<script type="application/json" id="report">${json}</script>
<script type="module">${script}</script>
</html>
`;
}

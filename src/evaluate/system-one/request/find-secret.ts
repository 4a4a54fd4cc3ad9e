import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SentText } from './build-request.ts';
import { type TokenShape, tokenShapes } from './token-shapes.ts';

/** Which rule fired and in which file; never the value. */
export interface SecretSuspicion {
  /** secretlint's name of the rule, or the name of one of our own shapes. */
  readonly detail: string;
  /** Missing where the basis or a file name is suspected, or where the file name is suspected too. */
  readonly path?: string;
}

/** The part of secretlint's rule interface that its recommended rules use. */
interface SecretlintRule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): void | Promise<void> };
}

// The rule by which a comment in a text switches the others off has no say here: whoever writes the files is not the
// one who allows egress.
const scanners = (rules as readonly SecretlintRule[]).filter(
  ({ meta }) => !meta.id.endsWith('filter-comments'),
);
const ruleOptions = { allows: [], enableIDScanRule: true };

/**
 * Looks for secrets in everything that would leave the machine: secretlint's recommended rules, and the wider shapes of
 * `token-shapes.ts`. A key split over lines is still a key, so each text is read as it stands, with wrapped string
 * literals joined, and, for the shapes that are wrapped in practice, without line ends.
 *
 * @returns the first suspicion, or null
 */
export async function findSecret(texts: readonly SentText[]): Promise<SecretSuspicion | null> {
  const clean = new Set<string>();
  for (const { text, path } of texts) {
    if (clean.has(text)) continue;
    const detail = await suspectedIn(text);
    if (detail !== null) return { detail, ...(path !== undefined && clean.has(path) ? { path } : {}) };
    clean.add(text);
  }
  return null;
}

const suspectedIn = async (text: string): Promise<string | null> =>
  matchingShape(text) ?? (await matchingRule(text)) ?? (await inJoined(text));

// `"AKIA…" +⏎ "…"`, `'…' . '…'`, `"…"⏎"…"` (C, Python), and a backslash at the end of a line.
const seams = [/(["'`])\s*[+.\\]?\s*\n\s*[+.]?\s*\1/g, /(["'`])\s*[+.]\s*\1/g, /\\\r?\n\s*/g] as const;

async function inJoined(text: string): Promise<string | null> {
  const joined = seams.reduce((whole, seam) => whole.replaceAll(seam, ''), text);
  const unwrapped = text.replaceAll(/[ \t]*\r?\n[ \t]*/g, '');
  return (
    (joined === text ? null : (matchingShape(joined) ?? (await matchingRule(joined)))) ??
    matchingShape(unwrapped, ({ wraps }) => wraps === true)
  );
}

function matchingShape(text: string, applies: (shape: TokenShape) => boolean = () => true): string | null {
  const hit = tokenShapes
    .filter(applies)
    .find(({ pattern, holds }) => [...text.matchAll(pattern)].some((match) => holds?.(match) ?? true));
  return hit?.name ?? null;
}

async function matchingRule(text: string): Promise<string | null> {
  for (const rule of scanners)
    if (await fires(rule, text)) return rule.meta.id.replace(/^.*secretlint-rule-/, '');
  return null;
}

/**
 * Runs one rule by secretlint's rule interface. `@secretlint/core` is not used: its profiler keeps every mark for the
 * life of the process and searches them all at each new one.
 */
async function fires(rule: SecretlintRule, content: string): Promise<boolean> {
  let found = false;
  const context = {
    createTranslator: () => () => ({ message: '', messageId: '' }),
    report: () => {
      found = true;
    },
  };
  // Without a path, so that no rule opens the file behind the text.
  await rule.create(context, ruleOptions).file?.({ content, contentType: 'text' });
  return found;
}

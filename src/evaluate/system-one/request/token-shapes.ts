/** A secret by the shape that its issuer or a standard publishes. */
export interface TokenShape {
  readonly name: string;
  /** Global, and linear in the text. */
  readonly pattern: RegExp;
  /** Decides on a match; the groups are those of the pattern. */
  readonly holds?: (match: RegExpMatchArray) => boolean;
  /** Also looked for with all line ends taken out: long tokens are wrapped in YAML, JSON Web Tokens in mail and docs. */
  readonly wraps?: boolean;
}

const secretName =
  '(?:pass(?:word|wd|phrase)|pwd|secret(?:[_-]?key)?|token|credentials?|auth|(?:api|access|private|signing|encryption)[_-]?key)';
const opening = '["\'`]';

/**
 * What secretlint's recommended rules let pass. They are made for a linter, which must not cry wolf, and so skip
 * documentation examples, placeholders and keys that are cut short; before egress the other error costs more.
 */
export const tokenShapes: readonly TokenShape[] = [
  {
    name: 'aws_access_key_id',
    pattern:
      /(?:A3T[A-Z0-9]|ABIA|ACCA|AGPA|AIDA|AIPA|AKIA|ANPA|ANVA|APKA|AROA|ASCA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g,
    holds: ([id]) => /\d/.test(id),
    wraps: true,
  },
  {
    name: 'aws_secret_access_key',
    pattern: /secret_?(?:access_?)?key["'`]?\s*(?::|=>?|,)\s*["'`]?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/gi,
  },
  {
    name: 'private_key_block',
    pattern: /-----(?:BEGIN|END) (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  { name: 'putty_private_key', pattern: /PuTTY-User-Key-File-\d/g },
  {
    name: 'url_with_password',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/?#@'"`<>]{0,128}:([^\s/?#@'"`<>]{3,256})@[^\s/?#@'"`<>]/gi,
    holds: ([, password = '']) => !/^(?:\$?\{.*\}|\$\w+|%\w+%?|[x*]+)$/i.test(password),
  },
  {
    name: 'json_web_token',
    pattern: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}/g,
    wraps: true,
  },
  { name: 'stripe_key', pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g, wraps: true },
  { name: 'google_api_key', pattern: /\bAIza[A-Za-z0-9_-]{35}/g, wraps: true },
  { name: 'google_oauth_secret', pattern: /\bGOCSPX-[A-Za-z0-9_-]{20,}/g, wraps: true },
  {
    name: 'model_api_key',
    pattern: /\bsk-[A-Za-z0-9_-]{24,}/g,
    holds: ([key]) => (key.match(/\d/g)?.length ?? 0) >= 3,
    wraps: true,
  },
  { name: 'github_token', pattern: /\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}/g, wraps: true },
  { name: 'gitlab_token', pattern: /\bgl(?:pat|dt|rt|ptt|agent|oas|cbt)-[A-Za-z0-9_-]{20,}/g, wraps: true },
  { name: 'slack_token', pattern: /\bx(?:ox[a-z]|app-\d)-[A-Za-z0-9-]{10,}/g, wraps: true },
  { name: 'slack_webhook', pattern: /hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/g },
  { name: 'npm_token', pattern: /\bnpm_[A-Za-z0-9]{30,}/g, wraps: true },
  { name: 'registry_auth', pattern: /:_auth(?:Token)?\s*=\s*["']?[A-Za-z0-9+/=_-]{10,}/g },
  { name: 'azure_account_key', pattern: /AccountKey=[A-Za-z0-9+/]{60,}/g },
  {
    name: 'authorization_header',
    pattern: /\bauthorization["'`]?\s*[:=,]\s*["'`]?(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})/gi,
    holds: ([, value = '']) => looksRandom(value),
  },
  {
    name: 'named_secret',
    pattern: new RegExp(
      `${secretName}${opening}?\\]?\\s*(?:=>?|:=?)\\s*[a-z]{0,2}${opening}([^\\s"'\`$<>{}]{8,256})${opening}`,
      'gi',
    ),
    holds: ([, value = '']) => looksRandom(value),
  },
  {
    name: 'named_secret',
    pattern: new RegExp(`${secretName}\\s*[=:]\\s*([A-Za-z0-9+/=_-]{16,256})\\s*$`, 'gim'),
    holds: ([, value = '']) => looksRandom(value) && (value.match(/\d/g)?.length ?? 0) >= 3,
  },
];

/** Letters and digits mixed, and at least 2.5 bits a character (Shannon): a word, a path or `xxxx1` is not. */
function looksRandom(text: string): boolean {
  if (!/\d/.test(text) || !/[a-z]/i.test(text)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits >= 2.5;
}

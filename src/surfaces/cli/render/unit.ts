export const unitKinds = ['systemd', 'launchd', 'cron'] as const;
export type UnitKind = (typeof unitKinds)[number];

/** Absolute paths: a service manager has neither the caller's folder nor its PATH. */
interface Where {
  readonly state: string;
  readonly home: string;
  /** `bin/drift` of this installation. */
  readonly program: string;
  /** The folder of the Node that runs now. */
  readonly nodeFolder: string;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** systemd expands `%`, in commands also `$`, and reads escapes within quotes. */
const systemd = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
/** cron takes a bare `%` for a line end. */
const cron = (text: string): string => quote(text).replaceAll('%', '\\%');

const searchPath = ({ nodeFolder }: Where): string => `${nodeFolder}:/usr/local/bin:/usr/bin:/bin`;
const watch = ({ state, program }: Where): string[] => [
  program,
  'drain',
  '--watch-seconds',
  '0',
  '--state-dir',
  state,
];

const units: Readonly<Record<UnitKind, (where: Where) => string>> = {
  systemd: (where) =>
    [
      '[Unit]',
      'Description=drift drain',
      '[Service]',
      `Environment=${systemd(`PATH=${searchPath(where)}`)}`,
      `ExecStart=${watch(where).map(systemd).join(' ').replaceAll('$', '$$$$')}`,
      'Restart=always',
      'RestartSec=20',
      'Nice=10',
      '[Install]',
      'WantedBy=default.target',
    ].join('\n'),
  launchd: (where) =>
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<plist version="1.0"><dict>',
      '  <key>Label</key><string>drift.drain</string>',
      '  <key>ProgramArguments</key><array>',
      ...watch(where).map((word) => `    <string>${xml(word)}</string>`),
      '  </array>',
      '  <key>EnvironmentVariables</key><dict>',
      `    <key>PATH</key><string>${xml(searchPath(where))}</string>`,
      '  </dict>',
      '  <key>KeepAlive</key><true/>',
      `  <key>StandardErrorPath</key><string>${xml(where.home)}/Library/Logs/drift-drain.log</string>`,
      '</dict></plist>',
    ].join('\n'),
  cron: (where) =>
    `*/5 * * * * PATH=${cron(searchPath(where))} ${cron(where.program)} drain --state-dir ${cron(where.state)} >/dev/null 2>&1`,
};

/** A service definition that keeps drain running, to be reviewed and installed by the owner. */
export const renderUnit = (kind: UnitKind, where: Where): string => units[kind](where);

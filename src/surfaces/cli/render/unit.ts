export const unitKinds = ['systemd', 'launchd', 'cron'] as const;
export type UnitKind = (typeof unitKinds)[number];

interface Where {
  readonly state: string;
  readonly home: string;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const units: Readonly<Record<UnitKind, (where: Where) => string>> = {
  systemd: ({ state }) =>
    [
      '[Unit]',
      'Description=drift drain',
      '[Service]',
      `ExecStart=/usr/bin/env drift drain --watch-seconds 0 --state-dir "${state}"`,
      'Restart=always',
      'RestartSec=20',
      'Nice=10',
      '[Install]',
      'WantedBy=default.target',
    ].join('\n'),
  launchd: ({ state, home }) =>
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<plist version="1.0"><dict>',
      '  <key>Label</key><string>drift.drain</string>',
      '  <key>ProgramArguments</key><array>',
      ...['/usr/bin/env', 'drift', 'drain', '--watch-seconds', '0', '--state-dir', state].map(
        (word) => `    <string>${xml(word)}</string>`,
      ),
      '  </array>',
      '  <key>KeepAlive</key><true/>',
      `  <key>StandardErrorPath</key><string>${xml(home)}/Library/Logs/drift-drain.log</string>`,
      '</dict></plist>',
    ].join('\n'),
  cron: ({ state }) => `*/5 * * * * drift drain --state-dir ${quote(state)} >/dev/null 2>&1`,
};

/** A service definition that keeps drain running, to be reviewed and installed by the owner. */
export const renderUnit = (kind: UnitKind, where: Where): string => units[kind](where);

import pc from 'picocolors';
import type { Finding } from '../../../contract/finding.ts';
import type { Examination } from '../../../doctor/examine.ts';
import type { Io } from '../io.ts';
import { describeFinding } from './finding.ts';
import { plain } from './fit.ts';

/** Of one reason, more than this are only counted. */
const SHOWN_OF_A_REASON = 10;

const findingDocument = (finding: Finding): object => {
  const { message, nextStep } = describeFinding(finding);
  const { reason, file = null, field = null, detail = null } = finding;
  return { reason, file, field, detail, message, next_step: nextStep };
};

const split = (findings: readonly Finding[]) => ({
  findings: findings.filter(({ isNotice }) => !isNotice),
  notices: findings.filter(({ isNotice }) => isNotice),
});

/** `drift doctor --json`. */
export function doctorDocument(examination: Examination): object {
  const { state, entries, judgedThrough, filesystem, secrets, exits, diagnostics } = examination;
  const { findings, notices } = split(examination.findings);
  return {
    schema: 'drift_doctor_v1',
    healthy: findings.length === 0,
    state_dir: state,
    findings: findings.map(findingDocument),
    notices: notices.map(findingDocument),
    facts: {
      node: process.versions.node,
      platform: process.platform,
      filesystem,
      entries,
      judged_through: judgedThrough,
      secrets,
      exits,
      diagnostics,
    },
  };
}

export function renderDoctor(examination: Examination, io: Io): string {
  const paint = pc.createColors(io.colour);
  const { findings, notices } = split(examination.findings);
  const { state, entries, judgedThrough, filesystem, secrets, exits, diagnostics } = examination;
  const { type, free_bytes: free } = filesystem;
  return [
    findings.length === 0
      ? paint.green(`healthy: ${plain(state)}`)
      : paint.red(`${findings.length} finding(s) in ${plain(state)}`),
    ...grouped(findings),
    ...(notices.length > 0 ? ['', 'to know', ...grouped(notices)] : []),
    '',
    `entries ${entries}, finished through #${judgedThrough}`,
    `Node ${process.versions.node} on ${process.platform}, filesystem ${type}, ${Math.floor(free / 1_048_576)} MiB free`,
    ...secrets.map(({ variable, present }) => `variable ${variable}: ${present ? 'set' : 'not set'}`),
    ...exits.map(
      ({ obligation_id, outcome, reachable }) =>
        `${obligation_id}: ${outcome} ${reachable ? 'would be accepted' : 'is not to be had here'}`,
    ),
    ...(diagnostics.length > 0 ? ['', 'what refresh said last'] : []),
    ...diagnostics.map((line) => `  ${plain(line)}`),
  ].join('\n');
}

function grouped(findings: readonly Finding[]): string[] {
  const reasons = [...new Set(findings.map(({ reason }) => reason))];
  return reasons.flatMap((reason) => {
    const ofReason = findings.filter((finding) => finding.reason === reason);
    const more = ofReason.length - SHOWN_OF_A_REASON;
    return [
      ...ofReason.slice(0, SHOWN_OF_A_REASON).flatMap((finding) => {
        const { message, nextStep } = describeFinding(finding);
        return ['', `${reason}  ${plain(message)}`, `  ${nextStep}`];
      }),
      ...(more > 0 ? [`  and ${more} more of this kind; drift doctor --json names all`] : []),
    ];
  });
}

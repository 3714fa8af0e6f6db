/** `check`: whether an installation works, and what to do where it does not. */
import { milliseconds } from '@kruise/objects';
import { UserError } from '../failure.ts';
import type { Call, Run } from '../cli/command.ts';
import { checksOf, type Mode } from '../check/checks/all-checks.ts';
import { exitCodeOf, exitCodes, factsOf, findingsOf, reportObject, reportText, type Finding } from '../check/report.ts';
import type { At } from '../check/facts.ts';
import { indented } from '../print/print-object.ts';
import { FactReader } from '../session/check/read-facts.ts';
import type { Session } from '../session.ts';

const roundMs = milliseconds(2_000);

function modeOf({ flags }: Call): Mode {
  if (flags.bool('pre') && flags.bool('uninstall'))
    throw new UserError('--pre and --uninstall cannot be given together', exitCodes.unknown);
  if (flags.bool('pre')) return 'pre';
  return flags.bool('uninstall') ? 'uninstall' : 'installed';
}

interface Round {
  readonly findings: readonly Finding[];
  readonly at: At;
}

async function round(mode: Mode, session: Session): Promise<Round> {
  const checks = checksOf[mode];
  const namespace = session.namespaceGiven ? session.namespace() : undefined;
  const { facts, at } = await new FactReader(session).read(factsOf(checks), namespace);
  return { findings: findingsOf(checks, facts, at), at };
}

const namesOf = (findings: readonly Finding[]): string =>
  findings
    .filter(({ verdict }) => verdict.kind === 'Fault' || verdict.kind === 'Unknown')
    .map(({ check }) => check.name)
    .join(', ');

/** Repeats the checks until they pass. @returns the last round, and whether the time ended before it passed */
async function untilSound(mode: Mode, session: Session, timeoutMs: number): Promise<Round & { readonly timedOut: boolean }> {
  const end = session.clock.monotonic() + timeoutMs;
  let reported = '';
  for (;;) {
    const last = await round(mode, session);
    if (exitCodeOf(last.findings) === exitCodes.sound) return { ...last, timedOut: false };
    if (session.clock.monotonic() + roundMs > end) return { ...last, timedOut: true };
    const names = namesOf(last.findings);
    if (names !== reported) session.warn(`Waiting for: ${names}`);
    reported = names;
    await session.clock.sleep(roundMs, session.signal);
  }
}

export const run: Run = async (call, session) => {
  const { flags, args, path } = call;
  if (args.length > 0) throw new UserError(`unexpected argument ${JSON.stringify(args[0])} for ${path}`, exitCodes.unknown);
  const output = flags.text('output');
  if (output !== '' && output !== 'json') throw new UserError('--output must be json', exitCodes.unknown);
  const mode = modeOf(call);
  const { findings, at, timedOut } = flags.bool('wait')
    ? await untilSound(mode, session, flags.number('timeout'))
    : { ...(await round(mode, session)), timedOut: false };
  session.out(output === 'json' ? `${indented(reportObject(findings, at))}\n` : reportText(findings));
  if (timedOut) {
    session.warn('error: timed out waiting for a sound installation');
    return exitCodes.timeout;
  }
  return exitCodeOf(findings);
};

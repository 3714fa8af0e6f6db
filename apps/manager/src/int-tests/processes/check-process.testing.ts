/** `kubectl kruise check` as a process, and what its report says. */
import { execFile } from 'node:child_process';
import { eventually, programFile, shippedFlags } from '@kruise/testing';

export interface CheckReport {
  readonly code: number;
  readonly result: string;
  readonly checks: readonly { readonly name: string; readonly result: string; readonly message: string; readonly next?: string }[];
}

export interface CheckRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const plugin = programFile('kubectl-kruise');

/** Runs `check`. @param words of its command line */
export function runCheck(words: string, kubeconfig: string): Promise<CheckRun> {
  return new Promise((resolve) => {
    const args = [...shippedFlags('manager'), plugin, 'check', ...words.split(' ').filter((word) => word !== '')];
    execFile(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: kubeconfig } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

/** @throws with the errors of a run without a report */
export async function readReport(words: string, kubeconfig: string): Promise<CheckReport> {
  const { code, out, err } = await runCheck(`-o json ${words}`, kubeconfig);
  if (out === '') throw new Error(err);
  return { ...(JSON.parse(out) as Omit<CheckReport, 'code'>), code };
}

/** Runs `check` until every fact was read in time: the API server of a busy machine may answer late. */
export async function completeReport(kubeconfig: string): Promise<CheckReport> {
  let found = await readReport('', kubeconfig);
  await eventually(
    async () => !found.checks.some(({ result }) => result === 'Unknown') || ((found = await readReport('', kubeconfig)), false),
  );
  return found;
}

export const checksWith = ({ checks }: CheckReport, result: string): readonly string[] =>
  checks.filter((one) => one.result === result).map(({ name }) => name);

export const messageOf = ({ checks }: CheckReport, name: string): string => checks.find((one) => one.name === name)?.message ?? '';

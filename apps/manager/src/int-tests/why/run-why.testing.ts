/** `kubectl kruise why` as a process, with what it answers and how it asks. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programFile, shippedFlags } from '@kruise/testing';
import { withClock } from '../processes/other-clock.testing.ts';

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly next: string;
  readonly evidence: readonly { readonly object: string; readonly field: string; readonly text: string }[];
}

/** What `why -o json` has answered. */
export interface Why {
  readonly code: number;
  readonly kind: string;
  /** Absent unless the object is stuck. */
  readonly causes?: readonly Cause[];
  /** HTTP methods of its requests. */
  readonly methods: readonly string[];
  /** Lines on stderr that are no record of a request. */
  readonly warnings: readonly string[];
}

interface WhyOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** A user whose rights count in place of those of the kubeconfig. */
  readonly as?: string;
  /** How far its clock is ahead. */
  readonly minutesLater?: number | undefined;
}

/** Returns the method in the record of a request; undefined for another line. */
function methodIn(line: string): string | undefined {
  try {
    return (JSON.parse(line) as { readonly method?: string }).method;
  } catch {
    return undefined;
  }
}

/** Runs `why`. @throws with its stderr when it answers nothing */
export async function runWhy(target: string, { kubeconfig, namespace, as, minutesLater = 0 }: WhyOptions): Promise<Why> {
  const dir = mkdtempSync(join(tmpdir(), 'why-'));
  const clock = minutesLater === 0 ? { NODE_OPTIONS: '' } : withClock(dir, minutesLater * 60_000);
  const env = { ...process.env, ...clock, KUBECONFIG: kubeconfig };
  const user = as === undefined ? [] : [`--as=${as}`];
  const args = [...shippedFlags('manager'), programFile('kubectl-kruise'), 'why', target, '-n', namespace, '-o', 'json', '-v=6', ...user];
  try {
    return await new Promise<Why>((resolve, reject) => {
      execFile(process.execPath, args, { env }, (error, out, err) => {
        if (out === '') return reject(new Error(err));
        const lines = err.split('\n').filter((line) => line !== '');
        const verdict = JSON.parse(out) as Pick<Why, 'kind' | 'causes'>;
        resolve({
          ...verdict,
          code: error === null ? 0 : Number(error.code ?? -1),
          methods: lines.flatMap((line) => methodIn(line) ?? []),
          warnings: lines.filter((line) => methodIn(line) === undefined),
        });
      });
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Returns the evidence of the first cause, each as `Pod web-1 status.phase: Pending`. */
export const evidenceOf = ({ causes = [] }: Why): readonly string[] =>
  (causes[0]?.evidence ?? []).map(({ object, field, text }) => `${object} ${field}: ${text}`);

/**
 * What Argo CD shows during golden scenarios: the health check of the kind reads every state that a run writes, in each version, and the verdicts are
 * compared with a text file. To write it again after an intended change: UPDATE_GOLDEN=1 npm run jest -- PATH, then review the diff.
 */
import { expect, it } from '@jest/globals';
import { allKinds, convertObject } from '@kruise/api';
import type { FakeApi } from '@kruise/kube/testing';
import { deepEqual, type KubeObject } from '@kruise/objects';
import { argoHealth, goldenText, skipUnless, whyNoLua, type ArgoHealth, type ArgoObject } from '@kruise/testing';

type Written = KubeObject & ArgoObject & { readonly spec?: object; readonly status?: object };

/** The object in each of its versions, the hub version first. */
function versionsOf(object: Written): readonly Written[] {
  const [group = ''] = object.apiVersion.split('/');
  const versions = allKinds.find((one) => one.kind === object.kind && one.group === group)?.versions ?? [];
  const others = versions.map(({ name }) => `${group}/${name}`).filter((apiVersion) => apiVersion !== object.apiVersion);
  return [
    object,
    ...others.map((apiVersion) => {
      const converted = convertObject({ ...object }, apiVersion);
      if (converted.kind !== 'Converted') throw new Error(`${object.kind} cannot be converted to ${apiVersion}`);
      return converted.object as unknown as Written;
    }),
  ];
}

const lineOf = ({ status, message = '' }: ArgoHealth): string => `${status}: ${message}`;

/** v1alpha1 of a StatefulSet does not show its claims. */
const isShown = (verdict: ArgoHealth | undefined): boolean => verdict?.message?.includes('have the claims of') !== true;

/** Changes of a verdict, a line for each. */
const changes = (verdicts: readonly string[]): readonly string[] => verdicts.filter((line, at) => line !== verdicts[at - 1]);

/** The states of the objects of one kind in the runs of a test file, and the test of their verdicts. */
export class RunStates {
  readonly #kind: string;
  readonly #states = new Map<string, Written[]>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Notes a state of an object in a run. */
  note(run: string, object: unknown): void {
    const states = this.#states.get(run) ?? [];
    if (!deepEqual(states.at(-1), object)) states.push(object as Written);
    this.#states.set(run, states);
  }

  /** Notes every state that is written, and what it was before: a user may have changed the spec since. */
  watch(run: string, api: FakeApi): void {
    api.onWrite(({ before, after, refused }) => {
      for (const object of [before, after]) if (refused === undefined && object?.kind === this.#kind) this.note(run, object);
    });
  }

  /** Declares the test, after those of the runs. @param file one for all runs */
  itHasVerdicts(file: URL): void {
    const missing = whyNoLua();
    skipUnless(
      missing === undefined,
      missing ?? '',
      it,
    )('Argo CD shows the state of each run, the same in both versions', () => {
      expect(this.#states.size).toBeGreaterThan(0);
      const sections = [...this.#states].map(([run, states]) => {
        const [hub = [], ...others] = states.map(versionsOf).reduce<Written[][]>((lists, versions) => {
          for (const [at, object] of versions.entries()) (lists[at] ??= []).push(object);
          return lists;
        }, []);
        const verdicts = argoHealth(hub);
        for (const other of others) expect(argoHealth(other).filter((_, at) => isShown(verdicts[at]))).toEqual(verdicts.filter(isShown));
        return `${run}\n${changes(verdicts.map(lineOf))
          .map((line) => `  ${line}\n`)
          .join('')}`;
      });
      const text = sections.join('');
      expect(text).toBe(goldenText(file, text));
    });
  }
}

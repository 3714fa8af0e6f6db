/** Checks whether a real API server refuses a core/v1 PodTemplate that we refuse, at the same members. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatFieldError } from '@kruise/objects';
import { beforeKubernetes, sinceKubernetes, startControlPlane, type ControlPlane } from '@kruise/testing';
import { faultyTemplates, templateOf, validTemplate } from './faulty-templates.testing.ts';
import { validatePodTemplate } from './pod-template.ts';

const path = '/api/v1/namespaces/default/podtemplates?dryRun=All';

/** What the server accepts in a template although no Pod can be created from it. */
const stricter: ReadonlySet<string> = new Set([
  'an image with spaces around',
  'an image with a space before',
  'an image with a space behind',
  'an unknown restart policy of a container',
  'a local profile of an empty name',
]);
/** The minor version of the first tested release with the present verdict on a row (docs/kubernetes-versions.md). */
const since: Readonly<Record<string, number>> = {
  'a claim name twice': 34,
  'a claim of no source': 34,
  'a claim of the Pod that is not there': 34,
  'a claim of the Pod twice': 34,
  'a claim of two sources': 34,
  'a claim without name': 34,
  'a label key that is none of Pods near others': 32,
  'an unmasked /proc': 34,
  'is taken: a search domain with a dot at its end, and the root': 34,
  'is taken: a sleep of nothing': 34,
  'is taken: a variable name of printable characters': 32,
  'label keys without selector of Pods near others': 32,
  'other label keys without selector of Pods near others': 32,
  'recursive read-only where possible, without read-only': 32,
  'recursive read-only with propagation': 32,
  'recursive read-only without read-only': 32,
};
/** The minor version of the first tested release with another verdict on a row. */
const before: Readonly<Record<string, number>> = {
  'is taken: addresses of all forms': 37,
  'is taken: an address with leading zeros': 37,
};

/** A faulty volume counts as absent there, and the format of absent values is checked as well. */
const followUp = /: (Not found|Required value|Invalid value: "")/;

/**
 * Returns the member of a fault. The server omits some indexes and the last parts of some members; it reports labels of a template as those of the
 * object.
 */
const memberOf = (fault: string): string =>
  fault
    .replace(/: .*/s, '')
    .replaceAll(/\[\d+\]/g, '')
    .replace(/^(template|metadata)\./, '')
    .replace('securityContext.shareProcessNamespace', 'shareProcessNamespace')
    .replace(/downwardAPI\.items/, 'downwardAPI');

const isSameMember = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

async function serverFaults(plane: ControlPlane, template: unknown): Promise<readonly string[]> {
  const body = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'x' }, template };
  try {
    await plane.api.request(path, { method: 'POST', body });
    return [];
  } catch (error) {
    const message = (error as Error).message.replace(/^.*? is invalid: /s, '');
    return message
      .replace(/^\[|\]$/g, '')
      .split(/, (?=template\.)/)
      .map((fault) => fault.replace(/^template\./, ''));
  }
}

describe('Pod templates on a real API server', () => {
  let plane: ControlPlane;
  beforeAll(async () => void (plane = await startControlPlane()));
  afterAll(() => plane.stop());

  it('the valid one is taken', async () => {
    expect(await serverFaults(plane, validTemplate)).toEqual([]);
  });

  async function compare(row: (typeof faultyTemplates)[number]): Promise<void> {
    const theirs = await serverFaults(plane, templateOf(row));
    const ours = validatePodTemplate(templateOf(row), '', { allowPrivileged: true, hostNetworkHostPorts: false, claimVolumes: [] })
      .map(formatFieldError)
      .map((fault) => fault.replace(/^\./, ''));
    expect(theirs.length > 0).toBe(ours.length > 0);
    const members = { theirs: theirs.map(memberOf), ours: ours.map(memberOf) };
    expect(members.ours.filter((one) => !members.theirs.some((other) => isSameMember(one, other)))).toEqual([]);
    const independent = theirs.filter((fault) => !followUp.test(fault)).map(memberOf);
    expect(independent.filter((one) => !members.ours.some((other) => isSameMember(one, other)))).toEqual([]);
  }

  for (const row of faultyTemplates.filter(({ name }) => !stricter.has(name))) {
    const end = before[row.name];
    const run = end === undefined ? sinceKubernetes(since[row.name] ?? 0, it) : beforeKubernetes(end, it);
    run(row.name, () => compare(row));
  }

  it('has every row with another verdict of older releases', () => {
    const names = new Set(faultyTemplates.map(({ name }) => name));
    expect([...Object.keys(since), ...Object.keys(before)].filter((name) => !names.has(name))).toEqual([]);
  });
});

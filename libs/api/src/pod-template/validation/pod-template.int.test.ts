/** Whether a real API server refuses as a core/v1 PodTemplate what we refuse, at the same members. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatFieldError } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { faultyTemplates, templateOf, validTemplate } from './faulty-templates.testing.ts';
import { validatePodTemplate } from './pod-template.ts';

const path = '/api/v1/namespaces/default/podtemplates?dryRun=All';

/** What the server takes in a template although no Pod can be made of it. */
const stricter: ReadonlySet<string> = new Set([
  'an image with spaces around',
  'an image with a space before',
  'an image with a space behind',
  'an unknown restart policy of a container',
  'a local profile of an empty name',
]);
/** A volume that is faulty itself counts as absent there, and what is absent is checked for its form as well. */
const followUp = /: (Not found|Required value|Invalid value: "")/;

/** The server leaves out some indexes and stops short of some members; labels of a template it takes for those of the object. */
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

  it.each(faultyTemplates.filter(({ name }) => !stricter.has(name)))('$name', async (row) => {
    const theirs = await serverFaults(plane, templateOf(row));
    const ours = validatePodTemplate(templateOf(row), '', { allowPrivileged: true, hostNetworkHostPorts: false, claimVolumes: [] })
      .map(formatFieldError)
      .map((fault) => fault.replace(/^\./, ''));
    expect(theirs.length > 0).toBe(ours.length > 0);
    const members = { theirs: theirs.map(memberOf), ours: ours.map(memberOf) };
    expect(members.ours.filter((one) => !members.theirs.some((other) => isSameMember(one, other)))).toEqual([]);
    const independent = theirs.filter((fault) => !followUp.test(fault)).map(memberOf);
    expect(independent.filter((one) => !members.ours.some((other) => isSameMember(one, other)))).toEqual([]);
  });
});

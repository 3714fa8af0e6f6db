/** The verdicts equal those of the original and the API server, template by template; intended differences are listed with their reason. */
import { describe, expect, it } from '@jest/globals';
import { setIn } from '@kruise/objects';
import { templateVerdicts, type TemplateVerdict } from '@kruise/testing';
import { validTemplate } from './faulty-templates.testing.ts';
import { validatePodTemplate } from './pod-template.ts';

const verdicts = templateVerdicts();

const verdictOf = ({ at, value }: TemplateVerdict, kubernetes: number): 'Allowed' | 'Refused' => {
  const options = { allowPrivileged: true, hostNetworkHostPorts: false, claimVolumes: [], kubernetes };
  return validatePodTemplate(setIn<unknown>(validTemplate, at, value), 'template', options).length === 0 ? 'Allowed' : 'Refused';
};

/** Allowed as templates, refused as Pods: no Pod could be created from them. */
const refusedAsPods: ReadonlySet<string> = new Set([
  'an image with spaces around',
  'an image with a space before',
  'an image with a space behind',
  'a local profile of an empty name',
]);
/** Kubernetes 1.34 drops these members while their features are off; they are validated as it will when they are on. */
const dropped: readonly RegExp[] = [/^a projected bundle /, /^restartPolicy '' of /, /^an unknown restart policy of a container$/];

const differs = (name: string, list: readonly RegExp[] = []): boolean => refusedAsPods.has(name) || list.some((row) => row.test(name));

describe('verdicts on Pod templates', () => {
  it('are compared for at least 200 templates, a third of them allowed', () => {
    expect(verdicts.length).toBeGreaterThanOrEqual(200);
    expect(verdicts.filter(({ original }) => original === 'Allowed').length).toBeGreaterThanOrEqual(100);
    expect(verdicts.filter(({ original }) => original === 'Refused').length).toBeGreaterThanOrEqual(200);
  });

  it.each(verdicts.filter(({ name }) => !differs(name)))('the original: $name', (row) => {
    expect(verdictOf(row, 32)).toBe(row.original);
  });

  it.each(verdicts.filter(({ name }) => !differs(name, dropped)))('Kubernetes 1.34: $name', (row) => {
    expect(verdictOf(row, 34)).toBe(row.server);
  });

  it.each(verdicts.filter(({ name }) => differs(name)))('stricter than both on purpose: $name', (row) => {
    expect([verdictOf(row, 32), row.original, row.server]).toEqual(['Refused', 'Allowed', 'Allowed']);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { UnitedDeployment, UnitedDeploymentSpec } from '@kruise/api';
import type { ControllerRevision } from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import { recordedObjects } from '@kruise/testing';
import { knownTemplateBytes, storedTemplateBytes, templateBytes } from './revision-data.ts';
import { templateOf } from './testing.ts';

const made = (template: NonNullable<UnitedDeploymentSpec['template']>): ControllerRevision =>
  newRevision(
    {
      namespace: 'recorded',
      parent: 'ud',
      owner: { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' },
      annotations: {},
      template: { of: template, bytes: () => templateBytes(template), labels: {}, storedBytes: storedTemplateBytes },
    },
    1,
    0,
  ).revision;

describe('the data of a revision', () => {
  it('has the bytes and the name that the original gives it', () => {
    const [united] = recordedObjects<UnitedDeployment>('1-created', 'uniteddeployments.v1beta1');
    const recorded = recordedObjects<ControllerRevision>('1-created', 'controllerrevisions').find(({ metadata }) =>
      metadata.name.startsWith('ud-7'),
    );
    const revision = made(united?.spec.template ?? {});
    expect(revision.metadata.name).toBe('ud-7cbbf8d46c');
    expect(revision.data).toEqual(recorded?.data);
  });

  it.each([
    {
      kind: 'CloneSet',
      empty: { minReadySeconds: 0, lifecycle: null, volumeClaimTemplates: [], scaleStrategy: { enablePVCReuse: false } },
    },
    {
      kind: 'CloneSet',
      empty: { updateStrategy: { paused: false, scatterStrategy: [], partition: null }, scaleStrategy: { disablePVCReuse: false } },
    },
    { kind: 'Deployment', empty: { minReadySeconds: 0, paused: false, strategy: {} } },
    { kind: 'StatefulSet', empty: { minReadySeconds: 0, serviceName: '', volumeClaimTemplates: [], podManagementPolicy: '' } },
    {
      kind: 'AdvancedStatefulSet',
      empty: { serviceName: '', lifecycle: null, reserveOrdinals: [], volumeClaimUpdateStrategy: { type: '' } },
    },
  ] as const)('is the same for a $kind template that writes out what is empty, and another one for another image', ({ kind, empty }) => {
    const bytes = storedTemplateBytes(made(templateOf(kind)));
    expect(storedTemplateBytes(made(templateOf(kind, 'app:1', empty)))).toBe(bytes);
    expect(storedTemplateBytes(made(templateOf(kind, 'app:2')))).not.toBe(bytes);
  });

  it('keeps what is not known, and can be read without it', () => {
    const revision = made(templateOf('CloneSet', 'app:1', { novelty: 1 }));
    expect(storedTemplateBytes(revision)).toContain('novelty');
    expect(knownTemplateBytes(revision)).toBe(storedTemplateBytes(made(templateOf('CloneSet'))));
  });

  it('that holds no template is taken as it is', () => {
    expect([storedTemplateBytes({ data: { a: 1 } }), knownTemplateBytes({ data: { a: 1 } }), storedTemplateBytes({})]).toEqual([
      '{"a":1}',
      '{"a":1}',
      'null',
    ]);
  });
});

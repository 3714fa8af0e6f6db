import { expect, it } from '@jest/globals';
import type { UnitedDeployment } from '@kruise/api';
import type { ControllerRevision } from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import { recordedObjects } from '@kruise/testing';
import { storedTemplateBytes, templateBytes } from './revision-data.ts';

it('names', () => {
  const [ud] = recordedObjects<UnitedDeployment>('1-created', 'uniteddeployments.v1beta1');
  const revision = recordedObjects<ControllerRevision>('1-created', 'controllerrevisions').find((r) => r.metadata.name.startsWith('ud-7'))!;
  const bytes = templateBytes(ud!.spec.template!);
  const made = newRevision(
    {
      namespace: 'recorded',
      parent: 'ud',
      owner: {} as never,
      annotations: {},
      template: { bytes, labels: {}, storedBytes: storedTemplateBytes },
    },
    1,
    0,
  );
  expect(storedTemplateBytes(revision)).toBe(storedTemplateBytes(made.revision));
  expect(made.revision.metadata.name).toBe('ud-7cbbf8d46c');
});

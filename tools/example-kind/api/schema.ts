/** MaintenanceNotice: its schema, from which the TypeScript type, the CRD and the reference are generated. */
import { int32, int64, object, optional, string, type Infer } from '../../../libs/api/src/schema/builder.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../../libs/api/src/schema/kind.ts';
import { metaConditions } from '../../../libs/api/src/schema/meta-condition.ts';
import { right } from '../../../libs/api/src/schema/rights.ts';

const spec = object('Text of the notice, and how long it is kept.', {
  message: string('Text under the key `message` of the ConfigMap.', { minLength: 1 }),
  durationSeconds: optional(int32('Seconds from the creation of the notice until its ConfigMap is deleted. Defaults to 3600.')),
});
const status = object('Result of the notice.', {
  observedGeneration: optional(int64('Generation of the notice that this status was computed from.')),
  conditions: optional(metaConditions('Published: True while the ConfigMap holds the message.')),
});

export type MaintenanceNoticeStatus = Infer<typeof status>;
export type MaintenanceNotice = KruiseObject<Infer<typeof spec>, MaintenanceNoticeStatus>;
export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('MaintenanceNotice'),
  shortNames: [],
  controllerName: 'maintenancenotice-controller',
  namespaced: true,
  description: 'Keeps a message in a ConfigMap of the same name, for Pods that mount it, until `durationSeconds` have passed.',
  conversion: 'None',
  admission: { mutates: ['CREATE', 'UPDATE'], validates: ['CREATE', 'UPDATE'] },
  rights: { others: [right('', ['configmaps'], ['create', 'delete', 'list', 'patch', 'watch'])] },
  versions: [{ name: 'v1beta1', storage: true, spec, status, columns: [] }],
};
export const maintenanceNotices = resourceTypeOf<MaintenanceNotice>(declaration, 'v1beta1');

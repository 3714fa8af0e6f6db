/** Shared code of the tests of UnitedDeployments' admission. */
import { setIn } from '@kruise/objects';
import type { Members } from '../../conversion/converter.ts';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { defaultUnitedDeployment } from './defaults.ts';
import type { UnitedTemplateName } from './template-names.ts';
import type { UnitedDeploymentValidation } from './validation.ts';

const labels = { app: 'web' };

/** A minimal template of a child of any kind. */
export const childTemplate: Members = {
  metadata: { labels },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } } },
};

export const unitedOf = (template: UnitedTemplateName, subsets: readonly Members[] = [{ name: 'a' }, { name: 'b' }]): Members => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 4, selector: { matchLabels: labels }, template: { [template]: childTemplate }, topology: { subsets } },
});

/** A UnitedDeployment of CloneSets, with its defaults. */
export const bare = unitedOf('cloneSetTemplate');

/** Returns the object with a value. @param path with dots; numbers are indexes of lists */
export const having = (path: string, value: unknown, object: Members = bare): Members =>
  setIn<Members>(
    object,
    path.split('.').map((part): string | number => (/^\d+$/.test(part) ? Number(part) : part)),
    value,
  );

export const filled = (object: Members, oldObject?: Members, gates: Partial<Gates> = {}): Members =>
  defaultUnitedDeployment(object, { oldObject, gates: { ...defaultGates, ...gates } });

/** The options of the strictest server, at the newest version. */
export const validation: UnitedDeploymentValidation = { allowPrivileged: false, hostNetworkHostPorts: true };

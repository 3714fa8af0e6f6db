/** Shared code of the tests of UnitedDeployments' admission. */
import type { JsonObject } from '@kruise/objects';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { defaultUnitedDeployment } from './defaults.ts';
import type { UnitedTemplateName } from './template-names.ts';
import type { UnitedDeploymentValidation } from './validation-template.ts';
import { havingIn } from '../../validation/changed-objects.testing.ts';

const labels = { app: 'web' };

/** A minimal template of a child of any kind. */
export const childTemplate: JsonObject = {
  metadata: { labels },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } } },
};

export const unitedOf = (template: UnitedTemplateName, subsets: readonly JsonObject[] = [{ name: 'a' }, { name: 'b' }]): JsonObject => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 4, selector: { matchLabels: labels }, template: { [template]: childTemplate }, topology: { subsets } },
});

/** A UnitedDeployment of CloneSets, with its defaults. */
export const bare = unitedOf('cloneSetTemplate');

export const having = havingIn(bare);

export const filled = (object: JsonObject, oldObject?: JsonObject, gates: Partial<Gates> = {}): JsonObject =>
  defaultUnitedDeployment(object, { oldObject, gates: { ...defaultGates, ...gates } });

/** The options of the strictest server, at the newest version. */
export const validation: UnitedDeploymentValidation = { allowPrivileged: false, hostNetworkHostPorts: true };

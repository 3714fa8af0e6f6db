/** Shared code of the tests of DaemonSets' admission. */
import type { JsonObject } from '@kruise/objects';
import { defaultDaemonSet, type DaemonSetVersion } from './defaults.ts';
import type { DaemonSetValidation } from './validation.ts';
import { havingIn } from '../../validation/changed-objects.testing.ts';

/** Both versions, for what is equal in them. */
export const versions: readonly DaemonSetVersion[] = ['v1alpha1', 'v1beta1'];

/** A minimal DaemonSet. */
export const bare: JsonObject = {
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image: 'agent:1' }] } },
  },
};

/** Path of the settings of type RollingUpdate. */
export const rolling = 'spec.updateStrategy.rollingUpdate';

export const having = havingIn(bare);

/** Returns {@link bare} with these settings of type RollingUpdate, and no others. */
export const rollingBy = (settings: unknown): JsonObject =>
  having('spec.updateStrategy', { type: 'RollingUpdate', rollingUpdate: settings });

/** Returns {@link bare} with type OnDelete. */
export const onDelete = (settings: JsonObject = {}): JsonObject =>
  having('spec.updateStrategy', { type: 'OnDelete', rollingUpdate: settings });

/** Returns {@link bare} with one annotation, whose key may contain dots. */
export const annotated = (key: string, value: string, object: JsonObject = bare): JsonObject =>
  having('metadata.annotations', { [key]: value }, object);

export const filled = (object: JsonObject, version: DaemonSetVersion = 'v1beta1'): JsonObject => defaultDaemonSet(object, { version });

/** Returns the options of the strictest server, at the newest version. */
export const validation = (version: DaemonSetVersion = 'v1beta1'): DaemonSetValidation => ({
  version,
  allowPrivileged: false,
  hostNetworkHostPorts: true,
});

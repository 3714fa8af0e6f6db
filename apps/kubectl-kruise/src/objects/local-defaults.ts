/** Fills in the defaults that the webhooks of the server fill in. */
import {
  defaultBroadcastJob,
  defaultCloneSet,
  defaultDaemonSet,
  defaultSidecarSet,
  defaultStatefulSet,
  defaultUnitedDeployment,
  type Gates,
  type Members,
} from '@kruise/api';
import { groupOf } from '@kruise/objects';
import type { Untyped } from './untyped.ts';

type Version = 'v1alpha1' | 'v1beta1';

interface Options {
  readonly version: Version;
  readonly oldObject: Members | undefined;
  readonly gates: Gates;
}

const defaulters: Readonly<Record<string, (object: Members, options: Options) => Members>> = {
  BroadcastJob: defaultBroadcastJob,
  CloneSet: defaultCloneSet,
  DaemonSet: defaultDaemonSet,
  SidecarSet: defaultSidecarSet,
  StatefulSet: defaultStatefulSet,
  UnitedDeployment: defaultUnitedDeployment,
};

/** Returns the object with the defaults of its kind; unchanged if the kind is not one of Kruise. @param old as the server has it */
export function withLocalDefaults(object: Untyped, old: Untyped | undefined, gates: Gates): Untyped {
  const defaulter = groupOf(object.apiVersion ?? '') === 'apps.kruise.io' ? defaulters[object.kind ?? ''] : undefined;
  const version: Version = object.apiVersion?.endsWith('v1alpha1') === true ? 'v1alpha1' : 'v1beta1';
  return defaulter === undefined ? object : (defaulter(object, { version, oldObject: old, gates }) as Untyped);
}

/** Fills in the defaults that the webhooks of the manager fill in. */
import {
  defaultBroadcastJob,
  defaultCloneSet,
  defaultDaemonSet,
  defaultSidecarSet,
  defaultStatefulSet,
  defaultUnitedDeployment,
  type Gates,
} from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { kindOf, type AnyObject } from '../seen.ts';

type Version = 'v1alpha1' | 'v1beta1';

interface Options {
  readonly version: Version;
  readonly oldObject: JsonObject | undefined;
  readonly gates: Gates;
}

const defaulters: Readonly<Record<string, (object: JsonObject, options: Options) => JsonObject>> = {
  'apps.kruise.io/BroadcastJob': defaultBroadcastJob,
  'apps.kruise.io/CloneSet': defaultCloneSet,
  'apps.kruise.io/DaemonSet': defaultDaemonSet,
  'apps.kruise.io/SidecarSet': defaultSidecarSet,
  'apps.kruise.io/StatefulSet': defaultStatefulSet,
  'apps.kruise.io/UnitedDeployment': defaultUnitedDeployment,
};

/** Returns the object with the defaults of its kind; unchanged if the plan does not carry out the kind. @param old as the API server has it */
export function withDefaults(object: AnyObject, old: AnyObject | undefined, gates: Gates): AnyObject {
  const version: Version = object.apiVersion?.endsWith('v1alpha1') === true ? 'v1alpha1' : 'v1beta1';
  return (defaulters[kindOf(object)]?.(object, { version, oldObject: old, gates }) ?? object) as AnyObject;
}

/** Every admission handler and the conversion of this manager, for the webhook thread; the main thread needs their paths. */
import type { AdmissionHandler, Convert } from '@kruise/admission';
import { convertObject, groups, type Gates } from '@kruise/api';
import type { Client, Informers, Logger } from '@kruise/kube';
import type { KubeObject } from '@kruise/objects';
import { cloneSetAdmission } from '../kinds/cloneset/index.ts';
import { containerRecreateRequestAdmission } from '../kinds/containerrecreaterequest/index.ts';
import { ephemeralJobAdmission } from '../kinds/ephemeraljob/index.ts';
import { podProbeMarkerAdmission } from '../kinds/podprobemarker/index.ts';
import { imageListPullJobAdmission } from '../kinds/imagelistpulljob/index.ts';
import { imagePullJobAdmission } from '../kinds/imagepulljob/index.ts';
import { nodeImageAdmission } from '../kinds/nodeimage/index.ts';
import { sidecarSetAdmission } from '../kinds/sidecarset/index.ts';
import type { Installed } from '../process/discovery.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';
import { podAdmission } from './pod/index.ts';
import { widensFirst, type Widen } from './widen-first.ts';

export interface HandlerDependencies {
  readonly client: Client;
  /**
   * Caches of the webhook thread, on every replica. A handler asks for its stores when it is made and waits for their first list, within
   * the time of its request, when it reads them: the server answers before they are there.
   */
  readonly informers: Informers;
  readonly gates: Gates;
  readonly podNamespace: string;
  /** `--allow-privileged`. */
  readonly allowPrivileged: boolean;
  /** For what a user looks for in the log; absent where nothing is admitted. */
  readonly logger?: Logger;
  /** Told of every refusal by deletion protection, dry runs included: for the metric and the protection log. */
  readonly onProtected?: (record: ProtectionRecord) => void;
  /** Widens webhooks before an object is admitted that needs them; absent where nothing is narrowed. */
  readonly widen?: Widen;
}

/** @param installed the kinds that were there when the process started; both threads must be given the same */
export const createHandlers = (dependencies: HandlerDependencies, installed: Installed): readonly AdmissionHandler[] =>
  widensFirst(
    [
      ...cloneSetAdmission(dependencies),
      ...containerRecreateRequestAdmission(dependencies),
      ...nodeImageAdmission(dependencies),
      ...imagePullJobAdmission(dependencies),
      ...imageListPullJobAdmission(dependencies),
      ...podProbeMarkerAdmission(dependencies),
      ...ephemeralJobAdmission(dependencies),
      // It reads SidecarSets, which would be waited for in vain where there are none.
      ...(installed(groups.apps, 'v1beta1', 'SidecarSet') ? sidecarSetAdmission(dependencies) : []),
      ...podAdmission(dependencies, installed),
    ],
    dependencies.widen,
  );

/** v1alpha1 to v1beta1 and back, for every kind that has both. */
export const convert: Convert = (object, desiredApiVersion) => {
  const conversion = convertObject({ ...object }, desiredApiVersion);
  return conversion.kind === 'Converted' ? { kind: 'Converted', object: conversion.object as unknown as KubeObject } : conversion;
};

/** Creation of the kinds that own Pods or children. Each entry has the rules of the kind's webhooks, in their order. */
import {
  advancedCronJobWarnings,
  broadcastJobWarnings,
  cloneSetWarnings,
  daemonSetWarnings,
  defaultAdvancedCronJob,
  defaultBroadcastJob,
  defaultCloneSet,
  defaultDaemonSet,
  defaultStatefulSet,
  defaultUnitedDeployment,
  inHub,
  statefulSetDeclaration,
  statefulSetWarnings,
  unitedDeploymentWarnings,
  validateAdvancedCronJob,
  validateBroadcastJob,
  validateCloneSet,
  validateDaemonSet,
  validateStatefulSet,
  validateUnitedDeployment,
} from '@kruise/api';
import { scheduleRules } from '@kruise/kinds/advancedcronjob';
import { validateUpdateOrder } from '@kruise/kinds/cloneset';
import { fieldInvalid, fieldPath, listAt, type FieldError, type JsonObject } from '@kruise/objects';
import { orderRule } from '@kruise/workloads';
import type { CreationFacts, KindCreation } from './creation.ts';

const oldObject = undefined;

const templateRules = ({ gates, allowPrivileged }: CreationFacts) => ({
  allowPrivileged,
  hostNetworkHostPorts: gates.DefaultHostNetworkHostPortsInPodTemplates,
  kubernetes: undefined,
});

const podsToDelete = 'spec.scaleStrategy.podsToDelete';

/** Of v1alpha1: a name must be a Pod of the CloneSet, and a new CloneSet has none. @see spec/cloneset.md 4.3 */
const namesOfPods = (object: JsonObject): readonly FieldError[] =>
  listAt(object, 'spec', 'scaleStrategy', 'podsToDelete').flatMap((name, i) =>
    typeof name === 'string' && name !== '' ? [fieldInvalid(fieldPath(podsToDelete, i), name, `find pod ${name} failed`)] : [],
  );

const cloneSet: KindCreation = {
  defaulted: (object, { version, gates }) => defaultCloneSet(object, { version, oldObject, gates }),
  findings: (object, facts) => {
    const { version, gates } = facts;
    return {
      faults: [
        ...validateCloneSet(object, { version, oldObject, ...templateRules(facts) }),
        ...validateUpdateOrder(object, version),
        ...(version === 'v1alpha1' ? namesOfPods(object) : []),
      ],
      warnings: cloneSetWarnings(object, { version, oldObject, gates }),
    };
  },
};

const validateStatefulSetOrder = orderRule(statefulSetDeclaration, 'v1beta1', [
  'spec',
  'updateStrategy',
  'rollingUpdate',
  'unorderedUpdate',
]);

const statefulSet: KindCreation = {
  defaulted: (object, { version, gates }) => defaultStatefulSet(object, { version, oldObject, gates }),
  findings: (sent, { gates }) => {
    const object = inHub(sent);
    return {
      faults: [...validateStatefulSet(object), ...validateStatefulSetOrder(object)],
      warnings: statefulSetWarnings(object, { gates }),
    };
  },
};

const daemonSet: KindCreation = {
  defaulted: (object, { version }) => defaultDaemonSet(object, { version }),
  findings: (object, facts) => {
    const { version, gates } = facts;
    return {
      faults: validateDaemonSet(object, { version, oldObject, ...templateRules(facts) }),
      warnings: daemonSetWarnings(object, { version, oldObject, gates }),
    };
  },
};

const unitedDeployment: KindCreation = {
  defaulted: (object, { gates }) => defaultUnitedDeployment(object, { oldObject, gates }),
  findings: (object, facts) => ({
    faults: validateUnitedDeployment(object, { ...templateRules(facts), oldObject }),
    warnings: unitedDeploymentWarnings(object),
  }),
};

const broadcastJob: KindCreation = {
  defaulted: (object, { gates }) => defaultBroadcastJob(object, { oldObject, gates }),
  findings: (object, facts) => ({
    faults: validateBroadcastJob(object, templateRules(facts)),
    warnings: broadcastJobWarnings(object, { oldObject }),
  }),
};

const advancedCronJob: KindCreation = {
  defaulted: (object, { gates }) => defaultAdvancedCronJob(object, { oldObject, gates }),
  findings: (sent, facts) => {
    const object = inHub(sent);
    return {
      faults: validateAdvancedCronJob(object, { ...templateRules(facts), schedules: scheduleRules }),
      warnings: advancedCronJobWarnings(object, scheduleRules),
    };
  },
};

/** By `group/Kind`. */
export const workloadCreations: Readonly<Record<string, KindCreation>> = {
  'apps.kruise.io/AdvancedCronJob': advancedCronJob,
  'apps.kruise.io/BroadcastJob': broadcastJob,
  'apps.kruise.io/CloneSet': cloneSet,
  'apps.kruise.io/DaemonSet': daemonSet,
  'apps.kruise.io/StatefulSet': statefulSet,
  'apps.kruise.io/UnitedDeployment': unitedDeployment,
};

/** The orders in which Pods of a CloneSet are updated. */
import { cloneSetDeclaration, type CloneSetVersion } from '@kruise/api';
import type { FieldError, JsonObject } from '@kruise/objects';
import { orderRule } from '@kruise/workloads';

const rules: Readonly<Record<CloneSetVersion, ReturnType<typeof orderRule>>> = {
  v1alpha1: orderRule(cloneSetDeclaration, 'v1alpha1', ['spec', 'updateStrategy']),
  v1beta1: orderRule(cloneSetDeclaration, 'v1beta1', ['spec', 'updateStrategy', 'rollingUpdate']),
};

/** Every fault of `priorityStrategy` and `scatterStrategy`; never throws. */
export const validateUpdateOrder = (object: JsonObject, version: CloneSetVersion, oldObject?: JsonObject): readonly FieldError[] =>
  rules[version](object, oldObject);

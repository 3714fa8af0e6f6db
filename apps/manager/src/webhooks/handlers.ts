/** Creates the admission handlers and the conversion of this manager from its modules. The main thread needs only the paths. */
import type { AdmissionHandler, Convert } from '@kruise/admission';
import { convertObject, servedPaths, servedWebhooks, type Gates } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import type { HandlerDependencies } from '../module/handler-dependencies.ts';
import { admittedKinds, type KindModule } from '../module/kind-module.ts';
import { podAdmission, podAdmissionPaths } from '../pod-admission/index.ts';
import type { Installed } from '../process/discovery.ts';
import { widensFirst, type Widen } from './widen-first.ts';

/**
 * Returns the handlers of all modules.
 *
 * @param installed whether a kind is installed
 * @param widen widens webhooks before an object is admitted that needs them; absent where nothing is narrowed
 */
export const createHandlers = (
  modules: readonly KindModule[],
  dependencies: HandlerDependencies,
  installed: Installed,
  widen?: Widen,
): readonly AdmissionHandler[] => [
  ...admittedKinds(modules, installed).flatMap((module) => widensFirst(module.admission?.handlers(dependencies) ?? [], module, widen)),
  ...podAdmission(modules, dependencies, installed),
];

/** Returns the paths of the handlers without creating any. */
export const handlerPaths = (modules: readonly KindModule[], gates: Gates, installed: Installed): readonly string[] => [
  ...admittedKinds(modules, installed).flatMap(({ declaration, feature }) => [
    ...(declaration === undefined ? [] : servedPaths(declaration)),
    ...(feature === undefined ? [] : servedWebhooks(feature, gates).map(({ path }) => path)),
  ]),
  ...podAdmissionPaths(modules, gates, installed),
];

/** Converts v1alpha1 to v1beta1 and back, for every kind that has both. */
export const convert: Convert = (object, desiredApiVersion) => {
  const conversion = convertObject({ ...object }, desiredApiVersion);
  return conversion.kind === 'Converted' ? { kind: 'Converted', object: conversion.object as unknown as KubeObject } : conversion;
};

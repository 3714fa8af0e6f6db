/** Columns of `kubectl get`, and those that several kinds have. */
import type { PrinterColumn } from './kind.ts';

/** Declares a column that is always shown. */
export const column = (name: string, type: PrinterColumn['type'], jsonPath: string, description: string): PrinterColumn => ({
  name,
  type,
  jsonPath,
  description,
});

const age = (description: string) => column('AGE', 'date', '.metadata.creationTimestamp', description);

/** The age of the object. */
export const ageColumn = age('When the object was created.');

/** Declares the age of the object with a description that names its kind. */
export const ageColumnOf = (kind: string): PrinterColumn => age(`Time since the ${kind} was created.`);

/** Declares a text column that only wide output shows. */
export const wideColumn = (name: string, jsonPath: string, description: string): PrinterColumn => ({
  ...column(name, 'string', jsonPath, description),
  priority: 1,
});

/** The containers of a Pod template and their images, in wide output only. */
export const containerColumns: readonly PrinterColumn[] = [
  wideColumn('CONTAINERS', '.spec.template.spec.containers[*].name', 'Names of the containers.'),
  wideColumn('IMAGES', '.spec.template.spec.containers[*].image', 'Images of the containers.'),
];

/** Columns of the kinds with `spec.replicas`. */
export const desiredColumn = column('DESIRED', 'integer', '.spec.replicas', 'Desired number of Pods.');
export const currentColumn = column('CURRENT', 'integer', '.status.replicas', 'Number of Pods that exist.');
export const updatedColumn = column('UPDATED', 'integer', '.status.updatedReplicas', 'Number of Pods at the update revision.');
export const readyColumn = column('READY', 'integer', '.status.readyReplicas', 'Number of Pods that are ready.');

/** The `scale` subresource of the kinds with `spec.replicas`. */
export const replicasScale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
};

/** Columns of `kubectl get` that several kinds have. */
import type { PrinterColumn } from './kind.ts';

/** The containers of a Pod template and their images, in wide output only. */
export const containerColumns: readonly PrinterColumn[] = [
  {
    name: 'CONTAINERS',
    type: 'string',
    jsonPath: '.spec.template.spec.containers[*].name',
    description: 'Names of the containers.',
    priority: 1,
  },
  {
    name: 'IMAGES',
    type: 'string',
    jsonPath: '.spec.template.spec.containers[*].image',
    description: 'Images of the containers.',
    priority: 1,
  },
];

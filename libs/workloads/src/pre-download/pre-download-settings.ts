/** Settings of pulling images ahead that a workload carries as annotations. Pure. @see spec/inplace-update.md 13 */
import { annotations } from '@kruise/api';
import { parseIntOrPercent, type KubeObject } from '@kruise/objects';

/** The readable settings; unreadable ones are absent. */
export interface PreDownloadAnnotations {
  /** Nodes that pull at a time: a number or a percentage. */
  readonly parallelism?: number | string;
  /** Seconds for one image on one node. */
  readonly timeoutSeconds?: number;
  /** Pods that have to be updated and ready before: a number or a percentage. */
  readonly minUpdatedReadyPods?: number | string;
}

const wholeNumber = (text: string | undefined): number | undefined => (text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined);

function intOrPercentText(text: string | undefined): number | string | undefined {
  const value = wholeNumber(text) ?? text;
  return value === undefined || parseIntOrPercent(value).kind === 'Illegal' ? undefined : value;
}

/** Reads the annotations of a workload; a value that cannot be parsed counts as absent. */
export function preDownloadSettings({ metadata }: KubeObject): PreDownloadAnnotations {
  const held = metadata.annotations ?? {};
  const parallelism = intOrPercentText(held[annotations.preDownloadParallelism]);
  const timeoutSeconds = wholeNumber(held[annotations.preDownloadTimeoutSeconds]);
  const minUpdatedReadyPods = intOrPercentText(held[annotations.preDownloadMinUpdatedReadyPods]);
  return {
    ...(parallelism === undefined ? {} : { parallelism }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(minUpdatedReadyPods === undefined ? {} : { minUpdatedReadyPods }),
  };
}

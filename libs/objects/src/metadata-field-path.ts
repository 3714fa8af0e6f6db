/** Paths by which Pods refer to one label or annotation of their own: `metadata.labels['app']`. */

export interface MetadataReference {
  readonly from: 'labels' | 'annotations';
  readonly key: string;
}

/** @returns undefined for any other path; the key may be of any form */
export function parseMetadataFieldPath(fieldPath: string): MetadataReference | undefined {
  const open = fieldPath.indexOf("['");
  if (open < 0 || !fieldPath.endsWith("']")) return undefined;
  const key = fieldPath.slice(open + 2, -2);
  const path = fieldPath.slice(0, open);
  if (path === 'metadata.labels') return { from: 'labels', key };
  return path === 'metadata.annotations' ? { from: 'annotations', key } : undefined;
}

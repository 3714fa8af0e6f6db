/** Paths with which a Pod refers to one of its own labels or annotations: `metadata.labels['app']`. */

export interface MetadataReference {
  readonly from: 'labels' | 'annotations';
  readonly key: string;
}

/** Parses a path, undefined for any other path. The key may have any form. */
export function parseMetadataFieldPath(fieldPath: string): MetadataReference | undefined {
  const open = fieldPath.indexOf("['");
  if (open < 0 || !fieldPath.endsWith("']")) return undefined;
  const key = fieldPath.slice(open + 2, -2);
  const path = fieldPath.slice(0, open);
  if (path === 'metadata.labels') return { from: 'labels', key };
  return path === 'metadata.annotations' ? { from: 'annotations', key } : undefined;
}

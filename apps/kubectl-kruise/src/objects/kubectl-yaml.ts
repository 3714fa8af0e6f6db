/** How kubectl reads YAML: version 1.1, without its dates and times. */
import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from 'yaml';

/**
 * kubectl has no times: `2026-01-02` and `22:30` are texts there. YAML 1.1 makes a date of the first and a number of the second, so that a label or an
 * argument would have another value than the one that is applied.
 */
const isTime = (tag: Tags[number]): boolean =>
  typeof tag !== 'string' && (tag.tag === 'tag:yaml.org,2002:timestamp' || tag.format === 'TIME');

/** Options of the parser. `on` is true, as in YAML 1.1. */
export const kubectlYaml: DocumentOptions & ParseOptions & SchemaOptions = {
  version: '1.1',
  merge: true,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: 'silent',
  customTags: (tags) => tags.filter((tag) => !isTime(tag)),
};

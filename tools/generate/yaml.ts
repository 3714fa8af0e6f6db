/** YAML as all generated manifests print it: block style, no line folding, strings quoted only where they must be. */
import { stringify } from 'yaml';

/** Texts that YAML 1.1, which Kubernetes tools read, takes for something else are quoted as well. */
export const toYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, version: '1.1', aliasDuplicateObjects: false, defaultStringType: 'PLAIN', singleQuote: true });

/**
 * Which certificates a projected volume contains: those of one bundle, or those of a signer. @see Kubernetes "clusterTrustBundle projected volumes"
 */
import { checkDns1123Label, checkDns1123Subdomain, fieldInvalid, fieldRequired, isUnset } from '@kruise/objects';
import { type Rule } from '../checks/check.ts';

const maxSignerName = 571;

/** Returns the faults of `DOMAIN/PATH`, as in `example.com/my-signer`. */
function signerNameFaults(name: string): readonly string[] {
  const [domain = '', path] = name.split('/');
  if (path === undefined || name.split('/', 3).length !== 2)
    return ["must be a fully qualified domain and path of the form 'example.com/signer-name'"];
  const labels = domain.split('.');
  const faults = [
    ...new Set([...labels.flatMap((label) => checkDns1123Label(label)), ...path.split('.').flatMap((part) => checkDns1123Subdomain(part))]),
  ];
  if (labels.length < 2) faults.push('should be a domain with at least two segments separated by dots');
  if (name.length > maxSignerName || domain.length > 253)
    faults.push(`must be no more than ${String(maxSignerName)} characters, 253 of them the domain`);
  return faults;
}

/** Returns the faults of a bundle's name. The bundle of a signer is named `SIGNER:NAME`, with `:` instead of the `/` of the signer. */
const bundleNameFaults = (name: string): readonly string[] =>
  checkDns1123Subdomain(name.slice(name.lastIndexOf(':') + 1)).map((why) => `not a valid clustertrustbundlename: ${why}`);

const nameRule: Rule = (source, path, { faults }) => {
  const { name, labelSelector } = source;
  if (name === '') faults.push(fieldRequired(`${path}.name`, 'must be a valid object name'));
  else if (typeof name === 'string') for (const why of bundleNameFaults(name)) faults.push(fieldInvalid(`${path}.name`, name, why));
  if (!isUnset(labelSelector))
    faults.push(fieldInvalid(`${path}.labelSelector`, labelSelector, 'labelSelector must be unset if name is specified'));
};

const signerRule: Rule = ({ signerName }, path, { faults }) => {
  const at = `${path}.signerName`;
  if (signerName === '') faults.push(fieldRequired(at, 'must be a valid signer name'));
  else if (typeof signerName === 'string') for (const why of signerNameFaults(signerName)) faults.push(fieldInvalid(at, signerName, why));
};

/** Requires either a name, without a selector, or a signer. */
export const oneTrustBundle: Rule = (source, path, run) => {
  const hasName = !isUnset(source['name']);
  const hasSigner = !isUnset(source['signerName']);
  if (!hasName && !hasSigner) run.faults.push(fieldRequired(path, 'either name or signerName must be specified'));
  else if (hasName && hasSigner) run.faults.push(fieldInvalid(path, source, 'only one of name and signerName may be used'));
  else if (hasName) nameRule(source, path, run);
  else signerRule(source, path, run);
};

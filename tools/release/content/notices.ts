/** THIRD_PARTY_NOTICES.txt: the licences of everything in a program that is not the project's own. Pure. */

/** A component of the program with the text of its licence. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  readonly text: string;
}

const line = '='.repeat(80);

/** @param notices in the order of the text, without duplicates */
export function noticesText(notices: readonly Notice[]): string {
  const head = 'kubectl-kruise contains the following third-party software.\n';
  const list = notices.map(({ name, version, license }) => `- ${name} ${version}: ${license}\n`).join('');
  const texts = notices.map(({ name, version, text }) => `${line}\n${name} ${version}\n${line}\n\n${text.trim()}\n`);
  return [`${head}\n${list}`, ...texts].join('\n');
}

/** What a generator is: it says which folders are its own and which files belong into them. */

export interface GeneratedFile {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly content: string;
}

export interface Generator {
  readonly name: string;
  /** Folders that hold nothing but this generator's files, so that a file that is no longer generated is removed. All are called `generated` or lie in such a folder. */
  readonly folders: readonly string[];
  /** Single files outside of such folders, for pages that readers look for at a fixed place. */
  readonly pages?: readonly string[];
  files(): readonly GeneratedFile[];
}

/** The first line of a generated file, without the comment marks: where it comes from and how to make it again. */
export const origin = (source: string): string => `Generated from ${source} by \`npm run generate\`. Do not edit.`;

/** A YAML or shell file with its origin on top. */
export const withHashOrigin = (source: string, content: string): string => `# ${origin(source)}\n${content}`;

/** A Helm template with its origin on top, in a comment that is not rendered. */
export const withTemplateOrigin = (source: string, content: string): string => `{{- /* ${origin(source)} */ -}}\n${content}`;

/** A Markdown file with its origin on top, in a comment that is not shown. */
export const withMarkdownOrigin = (source: string, content: string): string => `<!-- ${origin(source)} -->\n\n${content}`;

/** The scripts that start a program of an archive: on macOS Node itself, elsewhere the single executable under its other name. Pure. */

/** Follows links first: Krew and users link the script into a folder of the PATH. */
const findFolder = `self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=\${self%/*}/$target ;;
  esac
done
case $self in
  */*) folder=\${self%/*} ;;
  *) folder=. ;;
esac`;

/** @param command with paths below `$folder` */
const shellScript = (command: string): string => `#!/bin/sh\n${findFolder}\nexec ${command} "$@"\n`;

/** @param bundle file name in the folder `lib` */
export const nodeScript = (bundle: string): string => shellScript(`"$folder/lib/node" "$folder/lib/${bundle}"`);

/** Starts the single executable as the generator for kustomize. */
export const generatorScript = shellScript('"$folder/kubectl-kruise" resourcedistributiongenerator');

/** Starts the program beside it to complete a command line. */
export const completeScript = shellScript('"$folder/kubectl-kruise" __complete');

const batch = (command: string): string => `@"%~dp0kubectl-kruise.exe" ${command} %*\r\n`;

/** The same two for Windows. */
export const generatorBatch = batch('resourcedistributiongenerator');
export const completeBatch = batch('__complete');

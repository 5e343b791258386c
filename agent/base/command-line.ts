/** Program and arguments; the program by its whole path where others could put one of its name. */
export type CommandLine = readonly [program: string, ...args: string[]]

/** Program and arguments; the program as absolute path where other users could place a program with the same name. */
export type CommandLine = readonly [program: string, ...args: string[]]

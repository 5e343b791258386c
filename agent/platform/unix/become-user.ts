/** Argument that names the user for a desktop's process, for systems where the agent cannot spawn as that user. */
export const asUser = ({ uid, gid }: { uid: number; gid: number }): string => `--as=${uid}:${gid}`

/** Switches the process to that user permanently; does nothing if the argument names no user. */
export function becomeUser(argument: string): void {
  const [, uid, gid] = /^--as=(\d+):(\d+)$/.exec(argument) ?? []
  if (uid !== undefined) {
    process.setgroups?.([Number(gid)])
    process.setgid?.(Number(gid))
    process.setuid?.(Number(uid))
  }
}

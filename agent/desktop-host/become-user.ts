/** How the agent says as whom the process of a desktop goes on, where it cannot start it as that user. */
export const asUser = ({ uid, gid }: { uid: number; gid: number }): string => `--as=${uid}:${gid}`

/** Goes on as that user, for good; nothing where the argument names none. */
export function becomeUser(argument: string): void {
  const [, uid, gid] = /^--as=(\d+):(\d+)$/.exec(argument) ?? []
  if (uid !== undefined) {
    process.setgroups?.([Number(gid)])
    process.setgid?.(Number(gid))
    process.setuid?.(Number(uid))
  }
}

/** The dialogs that the frame around every page can open. */
export type ShellDialog = 'about' | 'password' | 'shortcuts'

/** Dialogs of the frame around every page. */
export type ShellDialog = 'about' | 'password' | 'shortcuts'

/** What the shell reads of its environment. The server's settings are read by the server. */

/** The file that an AppImage was started from; what runs is a copy that is mounted for this run only. */
export const appImage = () => process.env['APPIMAGE']

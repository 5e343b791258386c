/** Environment variables of the shell. The server reads its own settings. */

/** Path of the AppImage file; the process itself runs from a temporary mount. */
export const appImage = () => process.env['APPIMAGE']

import { Menu, type MenuItemConstructorOptions, type WebContents } from 'electron'

/** Menu of a right click in fields and on selected text, with the roles of the system. */
export function offerContextMenu(contents: WebContents): void {
  contents.on('context-menu', (_event, { isEditable, selectionText, editFlags }) => {
    const items: MenuItemConstructorOptions[] = isEditable
      ? [
          { role: 'cut', enabled: editFlags.canCut },
          { role: 'copy', enabled: editFlags.canCopy },
          { role: 'paste', enabled: editFlags.canPaste },
          { type: 'separator' },
          { role: 'selectAll', enabled: editFlags.canSelectAll },
        ]
      : selectionText.trim() === ''
        ? []
        : [{ role: 'copy', enabled: editFlags.canCopy }]
    if (items.length > 0) {
      Menu.buildFromTemplate(items).popup()
    }
  })
}

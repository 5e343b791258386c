/** Accounts that notes and their pictures count for. */
export const accountsOfNotes = {
  name: '0085-accounts-of-notes',
  up: [
    "ALTER TABLE device_notes ADD COLUMN account TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE device_note_pictures ADD COLUMN account TEXT NOT NULL DEFAULT ''",
  ],
}

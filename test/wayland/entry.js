/** Window with a field for text, which the file `entry` holds once keys arrive there; runs in gjs. Ends on Enter. */
import GLib from 'gi://GLib'
import Gtk from 'gi://Gtk?version=4.0'

const app = new Gtk.Application()
app.connect('activate', () => {
  const window = new Gtk.ApplicationWindow({ application: app })
  const entry = new Gtk.Entry()
  const write = () => GLib.file_set_contents(`${GLib.getenv('HOME')}/entry`, entry.text)
  window.child = entry
  window.connect('notify::is-active', write)
  entry.connect('changed', write)
  entry.connect('activate', () => app.quit())
  window.present()
  entry.grab_focus()
})
app.run([])

// Proposes the browser's own time zone where none is chosen yet.
const zone = document.querySelector('input[name="zone"]');
if (zone && !zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';

// Runs: filled in when the page has some.
const runs = JSON.parse(byId("runs-data").textContent);
const runMarks = () => null;

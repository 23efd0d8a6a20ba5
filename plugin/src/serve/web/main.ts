import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/print.css";
import { App } from "./app.ts";
import type { PageData } from "./data/documents.ts";
import { watchExplanations } from "./explain.ts";

const holder = document.getElementById("prescope-data");
const data = JSON.parse(holder?.textContent || '{"kind":"live"}') as PageData;
watchExplanations();
new App(data).start();

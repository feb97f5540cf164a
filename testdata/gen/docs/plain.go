package docs

// notes is Markdown with front matter, nested lists, a table, code, links,
// a quotation and a footnote.
const notes = `---
title: Notas de la reunión
fecha: 2026-03-02
autora: Lucía Ferrer
---

# Notas de la reunión comercial

Reunión del **2 de marzo de 2026** en la sede de *Olivares del Sur*. Asistieron
Lucía Ferrer, Andrés Molina y Carmen Ruiz; Javier Ortega se conectó desde
Lisboa.

## Acuerdos

1. Lanzar el aceite **sin filtrar** en abril, con la nueva etiqueta.
2. Revisar los precios de exportación antes del [15 de marzo](https://example.com/precios?ed=2026#tabla).
3. Preparar la documentación en inglés:
   - el contrato de distribución,
   - la presentación para importadores,
   - las fichas de producto.

## Pendiente

- [x] Pedir muestras al laboratorio
- [ ] Confirmar la feria de Lyon con <ferias@example.com>
- [ ] Actualizar el script ` + "`exportar.py`" + ` para el nuevo formato

> La calidad no se negocia: cada lote sale con su análisis.
> — Carmen Ruiz

### Precios provisionales

| Producto | Formato | Precio (€) | Observaciones |
|:---------|:-------:|-----------:|---------------|
| Aceite virgen extra | 500 ml | 8,90 | Precio *sin* IVA |
| Aceite sin filtrar | 750 ml | 13,50 | Edición limitada \| 2.000 botellas |
| Vinagre de Jerez | 250 ml | 5,20 | |

El cálculo del margen se hace así:

` + "```python" + `
# No traducir: este comentario es código
margen = (precio - coste) / precio
` + "```" + `

El plazo de entrega es de 10 días hábiles.[^1] Para dudas, véase la
![captura del panel](img/panel.png) o escriba a Andrés.

[^1]: Salvo en agosto, cuando la almazara cierra dos semanas.

---

Próxima reunión: **lunes 16 de marzo**, a las 10:00.
`

// customers is a csv with quoted fields, a doubled quote, a line break inside
// a field, accents, an empty field and a text that begins like a formula.
const customers = "Id,Nombre,Ciudad,País,Contacto,Correo,Alta,Saldo (€),Observaciones\r\n" +
	"1001,\"Distribuciones Peña, S.A.\",Bilbao,España,Íñigo Peña,pedidos@pena.example,2021-04-12,1250.50,Cliente preferente\r\n" +
	"1002,Mercado Central,Valencia,España,Amparo Gil,amparo@mercado.example,2019-11-03,0,\"Paga a 60 días, sin descuento\"\r\n" +
	"1003,\"Ultramarinos \"\"El Faro\"\"\",A Coruña,España,Xoán Castro,faro@ultramarinos.example,2020-02-28,-85.20,Devolución pendiente de revisar\r\n" +
	"1004,Casa Lisboa,Lisboa,Portugal,Inês Tavares,ines@casalisboa.example,2022-09-15,4310.00,\"Entregas solo por la mañana.\r\nLlamar antes al portero.\"\r\n" +
	"1005,Épicerie Lambert,Lyon,Francia,Claire Lambert,claire@lambert.example,2023-01-20,2780.75,Pide las etiquetas en francés\r\n" +
	"1006,Feinkost Böhm,Múnich,Alemania,Jürgen Böhm,boehm@feinkost.example,2023-06-01,990.00,\r\n" +
	"1007,Hotel Miramar,Málaga,España,Rocío Núñez,compras@miramar.example,2018-07-09,3105.40,\"=SUMA(H2:H7) es el saldo de referencia\"\r\n" +
	"1008,Panadería Señorío,Logroño,España,Begoña Sáenz,begona@senorio.example,2024-03-18,415.90,Interesada en el aceite sin filtrar\r\n" +
	"1009,Tienda en línea,—,—,Equipo web,https://tienda.example/clientes,2024-05-30,15020.15,\"Ventas agregadas; véase el panel\"\r\n" +
	"1010,Cooperativa La Encina,Cáceres,España,Tomás Rey,tomas@encina.example,2025-10-10,50%,Condiciones por negociar\r\n"
